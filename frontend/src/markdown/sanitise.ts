// Sanitising HTML made from an agent's text.
//
// Lives here: the few elements and attributes that are allowed. Lives elsewhere: making the HTML
// (render.ts), buttons and frames added to it afterwards (code.ts).
import DOMPurify from "dompurify";

import { isInlinePicture, targetOf } from "./links";

const TAGS = [
  ..."p br hr strong em b i u s del ins mark small code pre kbd sub sup span div a img".split(" "),
  ..."h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td".split(" "),
];
const ATTRIBUTES = ["href", "title", "class", "src", "alt", "start"];
/** Our own class names for styling. Text written by others may not use the page's other classes. */
const CLASS = /^(?:md|language|hljs)[\w+#.-]*$/;

const purifier = DOMPurify(window);

purifier.addHook("uponSanitizeAttribute", (node, attribute) => {
  switch (attribute.attrName) {
    case "class":
      attribute.attrValue = attribute.attrValue
        .split(/\s+/)
        .filter((name) => CLASS.test(name))
        .join(" ");
      break;
    case "href":
      attribute.keepAttr = node.nodeName === "A" && targetOf(attribute.attrValue) !== null;
      break;
    case "src":
      attribute.keepAttr = node.nodeName === "IMG" && isInlinePicture(attribute.attrValue);
      break;
  }
});

// Built once: parsing it takes longer than most texts.
purifier.setConfig({
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
});

export function sanitised(html: string): DocumentFragment {
  const fragment = purifier.sanitize(html) as unknown as DocumentFragment;
  for (const link of fragment.querySelectorAll("a")) {
    link.rel = "noopener noreferrer nofollow";
    link.target = "_blank";
  }
  return fragment;
}
