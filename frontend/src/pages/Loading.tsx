// The shapes of pages that are still on their way: their code, or what they show.
import type { JSX } from "solid-js";

import { pathTo } from "../state";
import { Skeleton } from "../components/controls/Skeleton";
import { BackIcon } from "../components/icons";

export function LoadingChat(): JSX.Element {
  return (
    <div class="chat-main">
      <header class="chat-head">
        <a class="icon-button only-narrow" href={pathTo.home} aria-label="All chats">
          <BackIcon />
        </a>
        <div class="chat-name">
          <div class="bone bone-narrow" />
        </div>
      </header>
      <div class="loading-rows">
        <Skeleton lines={8} label="Loading the chat" />
      </div>
      <div class="below">
        <div class="composer composer-bones" />
      </div>
    </div>
  );
}

/** Of any page that is no chat. */
export function LoadingPage(): JSX.Element {
  return (
    <div class="loading-rows">
      <Skeleton lines={6} label="Loading the page" />
    </div>
  );
}
