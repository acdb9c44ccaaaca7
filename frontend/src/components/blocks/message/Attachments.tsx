// The attachments of a message: images as thumbnails that open, anything else by name.
import { createMemo, createSignal, Index, onCleanup, onMount, Show, type JSX } from "solid-js";

import type { JsonObject } from "../../../state";
import { AttachmentIcon, AttachmentName } from "../../composer/Attached";
import { isShowable, nameOf, pictureOf } from "../../composer/attaching";
import { referenceDetail } from "../../composer/mentions/references";
import { useChatContext } from "../../conversation/chatContext";
import { Dialog } from "../../controls/Dialog";
import { Spinner } from "../../controls/Spinner";
import { PictureIcon } from "../../icons";
import { wholeMessage } from "./wholeMessage";
import { messageOf } from "../../controls/attempt";
import { visibleText } from "../../question/content/visibleText";
import { labels } from "../labels";

/** Bytes; a larger message is loaded only on request. */
const MOST_UNASKED = 3_000_000;

export function Attachments(props: {
  attachments: readonly JsonObject[];
  /** The event that holds the large attachments. */
  cutAt?: number | undefined;
  /** Bytes of the whole message. */
  size?: number | undefined;
}): JSX.Element {
  const context = useChatContext();
  const [whole, setWhole] = createSignal<readonly JsonObject[]>();
  let list!: HTMLUListElement;
  async function load() {
    if (props.cutAt === undefined || whole()) return;
    setWhole((await wholeMessage(context.chatId, props.cutAt)).attachments ?? []);
  }
  onMount(() => {
    const isWanted = props.attachments.some((one) => isShowable(one) && one["cut"]);
    if (!isWanted || (props.size ?? 0) > MOST_UNASKED) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      // Opening it shows the error.
      void load().catch(() => undefined);
    });
    seen.observe(list);
    onCleanup(() => seen.disconnect());
  });
  return (
    <ul ref={list} class="attachments" aria-label={labels.attachments}>
      <Index each={props.attachments}>
        {(one, at) => (
          <Show when={isShowable(one())} fallback={<Named attachment={one()} />}>
            <li>
              <Picture picture={whole()?.[at] ?? one()} onWanted={load} />
            </li>
          </Show>
        )}
      </Index>
    </ul>
  );
}

/** Anything but an image: its name, or a quote that opens. */
function Named(props: { attachment: JsonObject }): JSX.Element {
  const detail = () => visibleText(referenceDetail(props.attachment));
  return (
    <Show
      when={props.attachment["type"] === "quote"}
      fallback={
        <li class="chip attachment-chip" title={detail()}>
          <AttachmentIcon attachment={props.attachment} />
          <AttachmentName attachment={props.attachment} />
        </li>
      }
    >
      <li class="message-quote">
        <details>
          <summary class="chip attachment-chip" aria-label={`${labels.showQuote}: ${visibleText(nameOf(props.attachment))}`}>
            <AttachmentIcon attachment={props.attachment} />
            <AttachmentName attachment={props.attachment} />
          </summary>
          <blockquote class="quote-whole" dir="auto">{detail()}</blockquote>
        </details>
      </li>
    </Show>
  );
}

/** A fixed size, so that nothing moves when it loads. */
function Picture(props: { picture: JsonObject; onWanted: () => Promise<void> }): JSX.Element {
  const [isOpen, setOpen] = createSignal(false);
  const [isBroken, setBroken] = createSignal(false);
  /** Smaller than its frame: shown at its own size. */
  const [isSmall, setSmall] = createSignal(false);
  const [problem, setProblem] = createSignal("");
  const address = createMemo(() => (isBroken() ? undefined : pictureOf(props.picture)));
  function fail() {
    setBroken(true);
    setProblem(labels.noImage);
  }
  async function open() {
    setProblem("");
    setOpen(true);
    await props.onWanted().catch((error: unknown) => setProblem(messageOf(error)));
    if (pictureOf(props.picture) === undefined || isBroken()) setProblem((said) => said || labels.noImage);
  }
  const large = (picture: string) => <img class="picture-large" src={picture} alt={nameOf(props.picture)} onError={fail} />;
  return (
    <>
      <button
        type="button"
        class="thumb"
        aria-label={labels.openImage(nameOf(props.picture))}
        title={nameOf(props.picture)}
        onClick={() => void open()}
      >
        <Show
          when={address()}
          fallback={
            <>
              <PictureIcon />
              <span class="thumb-name cut">{nameOf(props.picture)}</span>
            </>
          }
        >
          {(picture) => (
            <img
              src={picture()}
              alt=""
              decoding="async"
              classList={{ "thumb-small": isSmall() }}
              onLoad={({ currentTarget: { naturalWidth, naturalHeight, width, height } }) =>
                setSmall(naturalWidth < width && naturalHeight < height)
              }
              onError={fail}
            />
          )}
        </Show>
      </button>
      <Dialog isOpen={isOpen()} title={nameOf(props.picture)} class="picture-dialog" onClose={() => setOpen(false)}>
        <div class="picture-stage">
          <Show when={!problem()} fallback={<p role="alert">{problem()}</p>}>
            <Show when={address()} fallback={<Spinner />}>
              {(picture) => large(picture())}
            </Show>
          </Show>
        </div>
      </Dialog>
    </>
  );
}
