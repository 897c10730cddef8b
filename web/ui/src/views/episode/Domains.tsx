// The domains of the idle CPU, from the smallest up, over the machine's CPUs: the lowest that spans the queue is lit.

import type { EpisodePage, Machine } from '../../api/types';
import { formatCpuList } from '../../logic/cpulist';
import styles from './Episode.module.css';

export function Domains({ machine, page }: { machine: Machine; page: EpisodePage }) {
  const worst = page.pairs[0];
  const lanes = machine.cpus.map((c) => c.cpu);
  const idle = new Set(page.episode.idle_cpus);
  const full = new Set(page.episode.overloaded_cpus);
  const lowest = page.domains.find((d) => d.lowest_common);
  const at = new Map(lanes.map((cpu, i) => [cpu, i]));
  const share = 100 / Math.max(1, lanes.length);
  return (
    <div className={styles.domains}>
      <p>
        {worst === undefined
          ? 'No pair of this episode is listed.'
          : lowest
            ? `The lowest domain that spans both CPU ${worst.idle_cpu} (idle) and CPU ${worst.waited_on} (queue) is ${lowest.name}.`
            : page.domains.length > 0
              ? `No domain spans both CPU ${worst.idle_cpu} (idle) and CPU ${worst.waited_on} (queue): no load-balance attempt moves threads between them.`
              : `The domains of CPU ${worst.idle_cpu} are not known.`}
      </p>
      <div
        className={styles.strip}
        role="img"
        aria-label={`Idle: CPU ${formatCpuList(page.episode.idle_cpus)}; overloaded: CPU ${formatCpuList(page.episode.overloaded_cpus)}`}
      >
        {lanes.map((cpu) => (
          <i
            key={cpu}
            title={`CPU ${cpu}`}
            data-as={cpu === worst?.waited_on ? 'full' : idle.has(cpu) ? 'idle' : full.has(cpu) ? 'full' : 'other'}
            data-pair={worst !== undefined && (cpu === worst.idle_cpu || cpu === worst.waited_on)}
          >
            {lanes.length <= 32 ? cpu : ''}
          </i>
        ))}
      </div>
      <ul className={styles.levels} aria-label="Scheduling domains of the idle CPU, from the smallest up">
        {[...page.domains].map((d) => (
          <li key={d.level} className={styles.level} data-lowest={d.lowest_common} data-joins={d.joins}>
            {spans(d.span.map((c) => at.get(c) ?? -1).filter((i) => i >= 0)).map(([from, to]) => (
              <i key={from} style={{ left: `${from * share}%`, width: `${(to - from + 1) * share}%` }} />
            ))}
            <span>
              {d.name} · CPU {formatCpuList(d.span)}
              {d.lowest_common ? ' · lowest common' : d.joins ? '' : ' · does not reach the queue'}
            </span>
          </li>
        ))}
      </ul>
      <p className={styles.key}>
        <i data-as="idle" /> idle <i data-as="full" /> overloaded <i data-as="other" /> others
      </p>
    </div>
  );
}

/** Runs of neighbouring lanes. */
function spans(lanes: number[]): [number, number][] {
  const sorted = [...lanes].sort((a, b) => a - b);
  const found: [number, number][] = [];
  for (const lane of sorted) {
    const last = found.at(-1);
    if (last && last[1] === lane - 1) last[1] = lane;
    else found.push([lane, lane]);
  }
  return found;
}
