// What all contents of the timeline's panel are made of.

import { Icon } from '../../components/Icon';
import { adjust } from '../../navigation';

export const PanelFact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

export function CloseButton() {
  return (
    <button
      type="button"
      className="quiet icon"
      aria-label="Close"
      title="Esc"
      onClick={() => adjust({ selection: null, params: {} })}
    >
      <Icon name="close" />
    </button>
  );
}
