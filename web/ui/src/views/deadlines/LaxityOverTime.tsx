// The least laxity of a task's jobs in each part of the recording: bars up from 0; down where a job could not have run its whole
// runtime before its deadline.

import * as d3 from 'd3';
import type { DeadlineTask } from '../../api/types';
import { duration, moment } from '../../logic/units';
import styles from './Deadlines.module.css';

const SIZE = { width: 150, height: 26 };

interface LaxityProps {
  task: DeadlineTask;
  /** Start and end of the recording. */
  start: number;
  end: number;
}

export function LaxityOverTime({ task, start, end }: LaxityProps) {
  const parts = task.laxity_ns.flatMap((laxity, at) => (laxity === null ? [] : [{ at, laxity }]));
  const [least, most] = d3.extent(parts, ({ laxity }) => laxity);
  const worst = parts.find(({ laxity }) => laxity === least);
  if (worst === undefined || least === undefined || most === undefined) return null;
  const length = (end - start) / task.laxity_ns.length;
  const x = d3.scaleLinear([0, task.laxity_ns.length], [0, SIZE.width]);
  const y = d3.scaleLinear([Math.min(least, 0), Math.max(most, 0)], [SIZE.height, 0]);
  const signed = (ns: number) => duration(ns).replace('-', '−');
  const when = moment(worst.at * length, length / 10);
  const words = `Least laxity in each ${duration(length)}: ${signed(least)} from ${when} on, at most ${signed(most)}`;
  return (
    <svg className={styles.laxity} width={SIZE.width} height={SIZE.height} role="img" aria-label={words}>
      <title>{words}</title>
      {parts.map(({ at, laxity }) => (
        <rect
          key={at}
          data-negative={laxity < 0}
          x={x(at)}
          width={Math.max(x(1) - 0.5, 1)}
          y={Math.min(y(Math.max(laxity, 0)), SIZE.height - 1)}
          height={Math.max(Math.abs(y(0) - y(laxity)), 1)}
        />
      ))}
      <line x2={SIZE.width} y1={y(0)} y2={y(0)} />
    </svg>
  );
}
