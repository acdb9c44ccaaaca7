// Text in which nothing can hide.
//
// Lives here: writing out every character one could not see, so that what a question shows is what will happen.
// The command line does the same (src/voxpilot/cli_text.py).

const CONTROLS = "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\p{Cs}";
const INVISIBLE =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}";
/** A joiner or selector within an emoji is part of what one sees. */
const PICTURE = "\\p{Extended_Pictographic}\\ufe0f?|\\p{Emoji_Modifier}|[0-9#*]";
const HIDDEN = new RegExp(`[${CONTROLS}${INVISIBLE}]|(?<!${PICTURE})[\\u200d\\ufe0f]`, "gu");

export function visibleText(text: string): string {
  return text.replace(HIDDEN, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`);
}

export function hidesSomething(text: string): boolean {
  return text !== visibleText(text);
}
