// The chosen thread: what it does at this instant; the camera can follow it.

import { Icon } from '../../components/Icon';
import { duration } from '../../logic/units';
import { PHASES, waits } from '../../replay/moves';
import type { Player } from '../../replay/player';
import type { Scene } from '../../replay/scene';
import { type FigureFeed, useFigures } from './figureFeed';
import styles from './Replay.module.css';
import type { ReplayData } from './useReplayData';

interface ChosenProps {
  utid: number;
  data: ReplayData;
  scene: Scene;
  figureFeed: FigureFeed;
  player: Player;
  onFollow: () => void;
  onClear: () => void;
}

export function Chosen({ utid, data, scene, figureFeed, player, onFollow, onClear }: ChosenProps) {
  const { at } = useFigures(figureFeed);
  const t = data.threads.info(utid);
  const { phase, cpu, since } = scene.state;
  const code = phase[utid];
  const name = PHASES[code ?? 8] ?? 'unknown';
  const there = code !== undefined && name !== 'dead' && name !== 'unknown';
  const where = code === 0 ? ` on CPU ${cpu[utid]}` : code !== undefined && waits(code) ? ` for CPU ${cpu[utid]}` : '';
  const does = code !== undefined && waits(code) ? 'waits' : code === 0 ? 'runs' : name;
  return (
    <div className={styles.chosen}>
      <b>{t?.name ?? `utid ${utid}`}</b> <span className="muted">{t?.tid}</span>{' '}
      <span>
        {there ? `${does}${where}, ${duration(at - (since[utid] as number))}` : 'is not there at this instant'}
      </span>
      <button
        type="button"
        className="quiet"
        aria-pressed={player.follow === utid}
        onClick={onFollow}
        title="The camera goes with it (f)"
      >
        Follow
      </button>
      <button type="button" className="quiet icon" onClick={onClear} aria-label="Look at all threads again">
        <Icon name="close" />
      </button>
    </div>
  );
}
