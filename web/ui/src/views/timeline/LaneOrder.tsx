// Over the names of threads: in which order they are listed below the CPUs.

import { LANE_ORDERS, type LaneOrder } from '../../logic/place';
import { go, usePlace } from '../../navigation';
import styles from './Timeline.module.css';

const ORDER_WORDS: Record<LaneOrder, string> = {
  run: 'Time running',
  wait: 'Time waiting',
  name: 'Name',
  tid: 'Thread id',
};

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
