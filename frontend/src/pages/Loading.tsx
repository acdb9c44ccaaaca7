// Placeholders for pages whose code or data is still loading.
import type { JSX } from "solid-js";

import { pathTo } from "../state";
import { Skeleton } from "../components/controls/Skeleton";
import { BackIcon } from "../components/icons";
import { labels } from "./labels";

export function LoadingChat(): JSX.Element {
  return (
    <div class="chat-main">
      <header class="chat-head">
        <a class="icon-button only-narrow" href={pathTo.home} aria-label={labels.allChats}>
          <BackIcon />
        </a>
        <div class="chat-name">
          <div class="bone bone-narrow" />
        </div>
      </header>
      <div class="loading-rows">
        <Skeleton lines={8} label={labels.loadingChat} />
      </div>
      <div class="below">
        <div class="composer composer-bones" />
      </div>
    </div>
  );
}

/** For any page other than a chat. */
export function LoadingPage(): JSX.Element {
  return (
    <div class="loading-rows">
      <Skeleton lines={6} label={labels.loadingPage} />
    </div>
  );
}
