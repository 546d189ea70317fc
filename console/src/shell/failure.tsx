/** Catches what breaks while a page is drawn, so that there is always something to read and a way on. */

import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export class Failure extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <main className="page">
        <Notice tone="bad" title="This page broke">
          <p>Nothing was sent by it. Reload it; a newer console may have been put up in the meantime.</p>
          <p>
            <Button onClick={() => location.reload()}>Reload</Button>
          </p>
        </Notice>
      </main>
    );
  }
}
