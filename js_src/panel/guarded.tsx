// What stands in place of a panel that could not be drawn: without it Preact leaves a
// panel as it was, or empty, and says nothing.

import { Component, type ComponentChildren, type JSX } from "preact";
import type { EmptyState } from "./host";
import { Empty } from "./states";

interface Props {
  /** What the person knows the panel as. */
  readonly name: string;
  readonly children: ComponentChildren;
}

interface State {
  /** What was thrown, as text; null while nothing was. */
  readonly thrown: string | null;
}

/** As much of what was thrown as helps whoever it is reported to. */
const MAX_CHARACTERS = 300;

export class Guarded extends Component<Props, State> {
  override state: State = { thrown: null };

  static override getDerivedStateFromError(error: unknown): State {
    return { thrown: String(error).slice(0, MAX_CHARACTERS) };
  }

  /** With its stack, for whoever it is reported to: Preact throws it no further. */
  override componentDidCatch(error: unknown): void {
    console.error(`daskscope: ${this.props.name} cannot be drawn`, error);
  }

  override render(): JSX.Element {
    const { name, children } = this.props;
    const { thrown } = this.state;
    if (thrown === null) return <>{children}</>;
    const state: EmptyState = {
      state: "stopped",
      trouble: true,
      title: `${name} cannot be drawn`,
      text: `Something unexpected happened here (${thrown}). This part of the page was taken away; nothing of the data is changed, and the other parts go on. Try again; if it happens again, please report it.`,
      actions: [
        { label: "Try again", run: () => this.setState({ thrown: null }) },
      ],
    };
    return (
      <div class="ds-guarded" role="alert">
        <Empty state={state} />
      </div>
    );
  }
}
