// Over the names of lanes: in which order threads are listed below the CPUs; where none are listed, that of the CPUs.

import { LANE_ORDERS, type LaneOrder } from '../../logic/place';
import { go, usePlace } from '../../navigation';
import styles from './Timeline.module.css';

const ORDER_WORDS: Record<LaneOrder, string> = {
  run: 'Time running',
  wait: 'Time waiting',
  name: 'Name',
  tid: 'Thread id',
};

interface CpuOrderProps {
  /** How many CPUs have lanes, and those of how many are in sight. */
  lanes: number;
  seen: number;
}

/** There is little space: a button instead of a list, with how much of the machine is in sight. */
export function CpuOrderChoice({ lanes, seen }: CpuOrderProps) {
  const { grouping, cpuOrder } = usePlace();
  if (grouping !== 'none' || lanes < 2) return null;
  const byWaste = cpuOrder === 'waste';
  const scroll = seen < lanes ? `${seen} of ${lanes} CPUs are in sight: PageUp and PageDown scroll. ` : '';
  return (
    <button
      type="button"
      className={`quiet ${styles.cpuOrder}`}
      aria-pressed={byWaste}
      title={`${scroll}${byWaste ? 'Those first that idled or were overloaded longest in episodes; else by topology (o)' : 'By topology; else those first that idled or were overloaded longest in episodes (o)'}`}
      onClick={() => go({ cpuOrder: byWaste ? 'topology' : 'waste' })}
    >
      {scroll && (
        <span>
          {seen} of {lanes}
          <span className="unseen"> CPUs in sight</span>
        </span>
      )}
      <span>
        {byWaste ? 'by waste' : 'topology'}
        <span className="unseen">, the order of CPUs</span>
      </span>
    </button>
  );
}

export function LaneOrderChoice() {
  const { grouping, order } = usePlace();
  if (grouping === 'none') return null;
  return (
    <select
      className={styles.order}
      aria-label="Sort threads by"
      title="Order of threads and groups (o)"
      value={order}
      onChange={(event) => go({ order: event.target.value as LaneOrder })}
    >
      {LANE_ORDERS.map((item) => (
        <option key={item} value={item}>
          {ORDER_WORDS[item]}
        </option>
      ))}
    </select>
  );
}
