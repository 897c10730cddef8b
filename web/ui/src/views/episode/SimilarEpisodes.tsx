// Small multiples: the machine's CPUs, those that idled and those that were overloaded, per similar episode.

import type { Episode, Machine } from '../../api/types';
import { EpisodeLink } from '../../components/Links';
import { coreSeconds, duration, moment } from '../../logic/units';
import styles from './Episode.module.css';

export function SimilarEpisodes({
  machine,
  episodes,
  origin_ns,
}: {
  machine: Machine;
  episodes: readonly Episode[];
  origin_ns: number;
}) {
  const lanes = machine.cpus.map((c) => c.cpu);
  // Rows of a node each, where that gives a readable block.
  const perNode = machine.tree.children[0]?.cpus.length ?? lanes.length;
  const columns = perNode > 1 && perNode <= 16 ? perNode : Math.ceil(Math.sqrt(lanes.length * 1.6));
  return (
    <ul className={styles.similar}>
      {episodes.map((e) => {
        const idle = new Set(e.idle_cpus);
        const full = new Set(e.overloaded_cpus);
        return (
          <li key={e.episode_id}>
            <EpisodeLink episode={e.episode_id} title={e.sentence}>
              <span
                className={styles.map}
                style={{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}
                aria-hidden="true"
              >
                {lanes.map((cpu) => (
                  <i key={cpu} data-as={idle.has(cpu) ? 'idle' : full.has(cpu) ? 'full' : 'other'} />
                ))}
              </span>
              <b>episode {e.episode_id}</b> <span className="unseen">at </span>
              {moment(e.start_ns - origin_ns)}{' '}
              <span className="muted">
                {duration(e.dur_ns)}, {coreSeconds(e.total_core_ns / 1e9)}
              </span>
            </EpisodeLink>
          </li>
        );
      })}
    </ul>
  );
}
