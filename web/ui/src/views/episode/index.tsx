// Episodes: the list, and one with everything that is known about it.

import { ofTrace } from '../../api/client';
import { ALL_EPISODES, useAllEpisodes, useJson } from '../../api/hooks';
import type { Episode, EpisodePage } from '../../api/types';
import { Empty, Ready } from '../../components/States';
import { plural } from '../../logic/units';
import { usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import styles from './Episode.module.css';
import { EpisodeDetail } from './EpisodeDetail';
import { EpisodeList } from './EpisodeList';

export default function View({ trace }: ViewProps) {
  const place = usePlace();
  const list = useAllEpisodes(trace.id);
  return (
    <Ready of={list} what="Reading the episodes" height="60vh">
      {(rows) => {
        const chosen = place.episode ?? rows[0]?.episode_id ?? null;
        if (chosen === null) {
          return (
            <Empty whole title="No episode is listed">
              {trace.wasted_core_s > 0
                ? 'Nothing was wasted for longer than a tick. The verdict has the totals of the shorter intervals.'
                : 'No core was wasted in this trace. The verdict has what was excused.'}
            </Empty>
          );
        }
        return (
          <div className={styles.view} data-chosen={place.episode !== null}>
            <EpisodeList rows={rows} chosen={chosen} origin_ns={trace.start_ns} />
            {isListed(rows, chosen) ? (
              <OneEpisode key={chosen} trace={trace} number={chosen} />
            ) : (
              <Empty whole title={`There is no episode ${chosen} in this trace`}>
                It has {plural(rows.length, 'episode')}; the list has their numbers.
              </Empty>
            )}
          </div>
        );
      }}
    </Ready>
  );
}

/** The list may be cut off; a number beyond its longest is asked of the server. */
const isListed = (rows: readonly Episode[], number: number): boolean =>
  rows.length >= ALL_EPISODES || rows.some((row) => row.episode_id === number);

function OneEpisode({ trace, number }: ViewProps & { number: number }) {
  const page = useJson<EpisodePage>(ofTrace(trace.id, `episodes/${number}`));
  return (
    <Ready of={page} what={`Reading episode ${number}`} height="60vh">
      {(data) => <EpisodeDetail trace={trace} page={data} />}
    </Ready>
  );
}
