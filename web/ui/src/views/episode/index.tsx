// Episodes: the list, and one with everything that is known about it.

import { ofTrace, query } from '../../api/client';
import { useJson } from '../../api/hooks';
import type { Episode, EpisodePage } from '../../api/types';
import { Empty, Ready } from '../../components/States';
import { usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import { Detail } from './Detail';
import styles from './Episode.module.css';
import { List } from './List';

export default function View({ trace }: ViewProps) {
  const place = usePlace();
  const list = useJson<Episode[]>(ofTrace(trace.id, `episodes${query({ grade: 'all', limit: 2000 })}`));
  return (
    <Ready of={list} what="Reading the episodes" height="60vh">
      {(rows) => {
        const chosen = place.episode ?? rows[0]?.episode_id ?? null;
        if (chosen === null) {
          return (
            <Empty title="No episode is listed">
              Nothing was wasted for longer than a tick. The verdict has the totals of the shorter spells.
            </Empty>
          );
        }
        return (
          <div className={styles.view} data-chosen={place.episode !== null}>
            <List rows={rows} chosen={chosen} origin_ns={trace.start_ns} />
            <One key={chosen} trace={trace} number={chosen} />
          </div>
        );
      }}
    </Ready>
  );
}

function One({ trace, number }: ViewProps & { number: number }) {
  const page = useJson<EpisodePage>(ofTrace(trace.id, `episodes/${number}`));
  return (
    <Ready of={page} what={`Reading episode ${number}`} height="60vh">
      {(data) => <Detail trace={trace} page={data} />}
    </Ready>
  );
}
