// The replay: the machine's runqueues, and threads and bubbles that move between them, as they did.

import { ALL_EPISODES } from '../../api/hooks';
import { Empty, Failed, Loading } from '../../components/States';
import { hrefTo, usePlace } from '../../navigation';
import type { ViewProps } from '../registry';
import { parseReplay } from './place';
import { Replay } from './Replay';
import { useReplayData } from './useReplayData';

export default function View({ trace }: ViewProps) {
  const place = usePlace();
  const { bubbles } = parseReplay(place.params);
  const { data, error, refetch } = useReplayData(trace, bubbles);
  if (error) return <Failed error={error} retry={refetch} />;
  if (!data) return <Loading what="Reading what the replay plays" height="70vh" />;
  const { episode } = place;
  if (episode !== null && data.episodes.length < ALL_EPISODES && !data.episodes.some((e) => e.id === episode))
    return (
      <Empty title={`There is no episode ${episode} in this trace`}>
        <a href={hrefTo({ episode: null, params: { t: String(trace.start_ns) } })}>
          Replay from the start of the trace
        </a>
      </Empty>
    );
  return <Replay key={`${trace.id}/${data.kind === 'declared'}`} data={data} />;
}
