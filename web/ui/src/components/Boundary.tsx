// A view that fails shows its error; the frame and the other views go on.

import { Component, type ReactNode } from 'react';
import { PartError, reload } from '../api/parts';
import { Failed } from './States';

export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    const { error } = this.state;
    const again = () => (error instanceof PartError ? void reload() : this.setState({ error: null }));
    return <Failed error={error} retry={again} />;
  }
}
