// A view that fails shows its error; the frame and the other views go on.

import { Component, type ReactNode } from 'react';
import { Failed } from './States';

export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <Failed error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
