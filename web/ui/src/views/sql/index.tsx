import { Empty } from '../../components/States';
import type { ViewProps } from '../registry';

export default function View({ trace }: ViewProps) {
  return <Empty title="Not built yet">{trace.name}</Empty>;
}
