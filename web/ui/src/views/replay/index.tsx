// The replay: the machine's runqueues, and threads and bubbles that move between them, as they did.

import { Failed, Loading } from '../../components/States';
import { usePlace } from '../../navigation';
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
  return <Replay key={`${trace.id}/${data.kind === 'declared'}`} data={data} />;
}
