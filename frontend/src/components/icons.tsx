// The icons. Each is drawn on a grid of 20 with a line of 1.5 in the colour of the text.
import type { JSX } from "solid-js";

import { tableOf } from "../state/named";

type Icon = () => JSX.Element;

function sign(draw: () => JSX.Element): Icon {
  return () => (
    <svg
      class="icon"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {draw()}
    </svg>
  );
}

export const PlusIcon = sign(() => <path d="M10 4.5v11M4.5 10h11" />);
export const SearchIcon = sign(() => (
  <>
    <circle cx="9" cy="9" r="5" />
    <path d="m13 13 3.5 3.5" />
  </>
));
export const BackIcon = sign(() => <path d="M12 4.5 6.5 10l5.5 5.5" />);
export const ChevronIcon = sign(() => <path d="m8 5.5 4.5 4.5L8 14.5" />);
export const DownIcon = sign(() => <path d="m5.5 8 4.5 4.5L14.5 8" />);
export const CloseIcon = sign(() => <path d="m5.5 5.5 9 9M14.5 5.5l-9 9" />);
export const MoreIcon = sign(() => (
  <g fill="currentColor" stroke="none">
    <circle cx="4.5" cy="10" r="1.4" />
    <circle cx="10" cy="10" r="1.4" />
    <circle cx="15.5" cy="10" r="1.4" />
  </g>
));
export const PanelIcon = sign(() => (
  <>
    <rect x="3" y="4" width="14" height="12" rx="2" />
    <path d="M12.5 4v12" />
  </>
));
export const SendIcon = sign(() => <path d="M10 16V4.5M5 9.5l5-5 5 5" />);
export const StopIcon = sign(() => <rect x="5.5" y="5.5" width="9" height="9" rx="2" fill="currentColor" />);
export const CheckIcon = sign(() => <path d="m4.5 10.5 3.5 3.5 7.5-8" />);
export const CopyIcon = sign(() => (
  <>
    <rect x="7" y="7" width="9.5" height="9.5" rx="2" />
    <path d="M13 4.8V4.5a1.5 1.5 0 0 0-1.5-1.5h-7A1.5 1.5 0 0 0 3 4.5v7A1.5 1.5 0 0 0 4.5 13h.3" />
  </>
));
export const EditIcon = sign(() => <path d="m4 16 .8-3.2 8.6-8.6a1.7 1.7 0 0 1 2.4 2.4L7.2 15.2 4 16ZM12 5.6l2.4 2.4" />);
export const TrashIcon = sign(() => (
  <path d="M3.5 5.5h13M8 5.5V4a1 1 0 0 1 1-1h2a1 1 0 0 1 1 1v1.5m2.8 0-.6 9.6a1.6 1.6 0 0 1-1.6 1.4H7.4a1.6 1.6 0 0 1-1.6-1.4L5.2 5.5M8.4 9v4M11.6 9v4" />
));
export const WarningIcon = sign(() => (
  <path d="M10 7.5v3.2M10 13.4v.1M8.8 3.9 2.9 14.2A1.4 1.4 0 0 0 4.1 16.3h11.8a1.4 1.4 0 0 0 1.2-2.1L11.2 3.9a1.4 1.4 0 0 0-2.4 0Z" />
));
export const InfoIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 9.2v4M10 6.7v.1" />
  </>
));
export const CrossIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="7" />
    <path d="m7.6 7.6 4.8 4.8M12.4 7.6l-4.8 4.8" />
  </>
));
export const ThoughtIcon = sign(() => (
  <path d="M10 3.2a4.8 4.8 0 0 0-2.7 8.8c.5.4.8.9.8 1.5v.3h3.8v-.3c0-.6.3-1.1.8-1.5A4.8 4.8 0 0 0 10 3.2ZM8.4 16.6h3.2" />
));
export const FileIcon = sign(() => (
  <path d="M11.5 3H6.2A1.7 1.7 0 0 0 4.5 4.7v10.6A1.7 1.7 0 0 0 6.2 17h7.6a1.7 1.7 0 0 0 1.7-1.7V7l-4-4ZM11.5 3v4h4" />
));
export const ReadIcon = sign(() => (
  <>
    <path d="M2.5 10S5 4.8 10 4.8 17.5 10 17.5 10 15 15.2 10 15.2 2.5 10 2.5 10Z" />
    <circle cx="10" cy="10" r="2.2" />
  </>
));
export const MoveIcon = sign(() => <path d="M3.5 10h12.5M11.5 5.5 16 10l-4.5 4.5" />);
export const TerminalIcon = sign(() => (
  <>
    <rect x="2.5" y="4" width="15" height="12" rx="2" />
    <path d="m6 8 2.2 2L6 12M10.5 12.4h3.5" />
  </>
));
export const GlobeIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="7" />
    <path d="M3 10h14M10 3c2 2 2.8 4.4 2.8 7S12 15 10 17c-2-2-2.8-4.4-2.8-7S8 5 10 3Z" />
  </>
));
export const ModeIcon = sign(() => <path d="M4 7h9.5M10.8 4.2 13.5 7l-2.7 2.8M16 13H6.5M9.2 10.2 6.5 13l2.7 2.8" />);
export const ToolIcon = sign(() => (
  <path d="M12.2 3.6a4 4 0 0 0-3.7 5.3l-5 5a1.5 1.5 0 0 0 0 2.1l.5.5a1.5 1.5 0 0 0 2.1 0l5-5a4 4 0 0 0 5.2-5l-2.4 2.4-2.3-.5-.5-2.3 2.4-2.4a4 4 0 0 0-1.3-.1Z" />
));
export const ListIcon = sign(() => <path d="m3.5 5.5 1.2 1.2 2-2.2M9.5 6h7M3.5 13l1.2 1.2 2-2.2M9.5 13.5h7" />);
export const QuestionIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="7" />
    <path d="M8 8.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.3v.2M10 13.7v.1" />
  </>
));
export const ShieldIcon = sign(() => <path d="M10 3 4.5 5v4.4c0 3.5 2.2 6.1 5.5 7.6 3.3-1.5 5.5-4.1 5.5-7.6V5L10 3Z" />);
export const PictureIcon = sign(() => (
  <>
    <rect x="3" y="4" width="14" height="12" rx="2" />
    <circle cx="7.5" cy="8.3" r="1.3" />
    <path d="m3.5 14.5 4-3.5 2.5 2 3-3.5 3.7 4" />
  </>
));
export const AttachIcon = sign(() => (
  <path d="m16.7 9.3-6.6 6.6a4.3 4.3 0 0 1-6.1-6.1l6.6-6.6a2.9 2.9 0 0 1 4.1 4.1l-6.6 6.6a1.4 1.4 0 0 1-2-2l6.1-6.1" />
));
export const FolderIcon = sign(() => (
  <path d="M3 6.2A1.7 1.7 0 0 1 4.7 4.5h2.6L9 6.5h6.3A1.7 1.7 0 0 1 17 8.2v5.6a1.7 1.7 0 0 1-1.7 1.7H4.7A1.7 1.7 0 0 1 3 13.8V6.2Z" />
));
export const AtIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="2.75" />
    <path d="M12.75 7.25v3.6c0 1.2.8 1.9 1.8 1.9 1.2 0 1.95-1.1 1.95-2.75a6.5 6.5 0 1 0-2.6 5.2" />
  </>
));
export const CameraIcon = sign(() => (
  <>
    <path d="M3 7.5A1.5 1.5 0 0 1 4.5 6H6l1.2-1.8h5.6L14 6h1.5A1.5 1.5 0 0 1 17 7.5v7a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 14.5v-7Z" />
    <circle cx="10" cy="10.8" r="2.8" />
  </>
));
export const ChatIcon = sign(() => <path d="M4.5 4h11A1.5 1.5 0 0 1 17 5.5v6a1.5 1.5 0 0 1-1.5 1.5H9l-3.5 3v-3h-1A1.5 1.5 0 0 1 3 11.5v-6A1.5 1.5 0 0 1 4.5 4Z" />);
export const CommandIcon = sign(() => <path d="m12.5 3.5-5 13" />);
export const DiffIcon = sign(() => <path d="M10 3.5v7M6.5 7h7M6.5 15.5h7" />);
export const QuoteIcon = sign(() => (
  <path d="M8.5 5.5c-2.6.6-4 2.3-4 5v4h4v-4h-2M15.5 5.5c-2.6.6-4 2.3-4 5v4h4v-4h-2" />
));
export const SkillIcon = sign(() => <path d="M10 5.2C8.6 4.2 6.400 3.8 3.500 4v10.600c2.900-.2 5.100.2 6.500 1.200 1.400-1 3.600-1.400 6.500-1.200V4c-2.900-.2-5.100.2-6.500 1.200Zm0 0v10.600" />);
export const GearIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="2.6" />
    <path d="M10 3v2.4M10 14.6V17M3 10h2.4M14.6 10H17M5.05 5.05l1.7 1.7M13.25 13.25l1.7 1.7M5.05 14.95l1.7-1.7M13.25 6.75l1.7-1.7" />
  </>
));
export const AgentIcon = sign(() => (
  <>
    <rect x="4" y="6.5" width="12" height="9.5" rx="3" />
    <path d="M10 3.5v3M7.8 10.5v1M12.2 10.5v1M2.5 10.5v2M17.5 10.5v2" />
  </>
));
export const KeyboardIcon = sign(() => (
  <>
    <rect x="2.5" y="5" width="15" height="10" rx="2" />
    <path d="M5.8 8.3v.1M8.6 8.3v.1M11.4 8.3v.1M14.2 8.3v.1M7 11.8h6" />
  </>
));
export const LeaveIcon = sign(() => <path d="M8 3.5H5.5A1.5 1.5 0 0 0 4 5v10a1.5 1.5 0 0 0 1.5 1.5H8M12 6.5l3.5 3.5-3.5 3.5M15.5 10H8" />);
export const SunIcon = sign(() => (
  <>
    <circle cx="10" cy="10" r="3.2" />
    <path d="M10 3v1.2M10 15.8V17M3 10h1.2M15.8 10H17M5 5l.9.9M14.1 14.1l.9.9M5 15l.9-.9M14.1 5.9 15 5" />
  </>
));
export const SettingsIcon = sign(() => (
  <>
    <path d="M3.5 6h6M13.5 6h3M3.5 14h3M10.5 14h6" />
    <circle cx="11.5" cy="6" r="2" />
    <circle cx="8.5" cy="14" r="2" />
  </>
));
export const RetryIcon = sign(() => <path d="M15.8 9A6 6 0 1 0 16 11M16 4.5V9h-4.5" />);

const KINDS = tableOf<Icon>({
  read: ReadIcon,
  edit: EditIcon,
  delete: TrashIcon,
  move: MoveIcon,
  search: SearchIcon,
  execute: TerminalIcon,
  think: ThoughtIcon,
  fetch: GlobeIcon,
  switch_mode: ModeIcon,
});

/** The icon for a kind of tool call. */
export function KindIcon(props: { kind: string }): JSX.Element {
  return <>{(KINDS.get(props.kind) ?? ToolIcon)()}</>;
}

/** The logo: a wing and the voice it follows. */
export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="logo-ground" width="32" height="32" rx="8" />
      <path class="logo-wing" d="M7.5 9.5 14.8 23 22 9.5" />
      <circle class="logo-voice" cx="25" cy="20.8" r="2.4" />
    </svg>
  );
}
