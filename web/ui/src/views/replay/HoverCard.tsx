// The card about the thread, CPU, bubble or area under the pointer.

import { duration, plural } from '../../logic/units';
import { PHASES, waits } from '../../replay/moves';
import type { Scene } from '../../replay/scene';
import type { WasteMatch } from '../../replay/wasteMatch';
import styles from './Replay.module.css';
import type { ReplayData } from './useReplayData';
import type { PointerTarget } from './useStage';

const SAYS: Record<string, string> = {
  running: 'runs',
  runnable: 'waits since it was woken',
  preempted: 'waits since it was preempted',
  sleeping: 'sleeps',
  blocked: 'is blocked',
  stopped: 'is stopped',
  dead: 'has ended',
  throttled: 'waits for quota',
  unknown: 'not known',
};

interface HoverCardProps {
  pointed: PointerTarget;
  scene: Scene;
  wasteMatch: WasteMatch;
  data: ReplayData;
  width: number;
  height: number;
}

export function HoverCard({ pointed, scene, wasteMatch, data, width, height }: HoverCardProps) {
  const { x, y, hit } = pointed;
  const right = x > width * 0.6;
  const below = y > height * 0.65;
  const style = {
    ...(right ? { right: width - x + 14 } : { left: x + 14 }),
    ...(below ? { bottom: height - y + 10 } : { top: y + 10 }),
  };
  return (
    <div className={styles.card} style={style} role="status">
      {hit.kind === 'thread' && <ThreadCard utid={hit.utid} scene={scene} data={data} wasteMatch={wasteMatch} />}
      {hit.kind === 'cpu' && <CpuCard cpu={hit.cpu} scene={scene} data={data} wasteMatch={wasteMatch} />}
      {hit.kind === 'bubble' && <BubbleCard index={hit.bubble} scene={scene} />}
      {hit.kind === 'area' && <AreaCard index={hit.area} scene={scene} wasteMatch={wasteMatch} />}
    </div>
  );
}

function ThreadCard({
  utid,
  scene,
  data,
  wasteMatch,
}: {
  utid: number;
  scene: Scene;
  data: ReplayData;
  wasteMatch: WasteMatch;
}) {
  const t = data.threads.info(utid);
  const { phase, cpu, since, at } = scene.state;
  const code = phase[utid] as number;
  const where = waits(code) ? ` on CPU ${cpu[utid]}'s queue` : code === 0 ? ` on CPU ${cpu[utid]}` : '';
  const pair = wasteMatch.pairs.find((p) => p.utid === utid);
  return (
    <>
      <b>{t?.name ?? `utid ${utid}`}</b> <span className="muted">tid {t?.tid}</span>
      <p>
        {SAYS[PHASES[code] ?? 'unknown']}
        {where}, for {duration(at - (since[utid] as number))}
      </p>
      {pair && <p className={styles.cardWasted}>CPU {pair.idle_cpu} is idle and it may run there</p>}
      {t && (
        <p className="muted">
          {t.process && t.process !== t.name ? `${t.process} · ` : ''}
          {t.cgroup ?? ''}
        </p>
      )}
      {t && (
        <p className="muted">
          in all: ran {duration(t.run_ns)}, waited {duration(t.wait_ns)}
          {t.avoidable_ns > 0 && <>, {duration(t.avoidable_ns)} beside an idle CPU</>}, {plural(t.migrations, 'move')}
        </p>
      )}
    </>
  );
}

function CpuCard({
  cpu,
  scene,
  data,
  wasteMatch,
}: {
  cpu: number;
  scene: Scene;
  data: ReplayData;
  wasteMatch: WasteMatch;
}) {
  const { running, since, at } = scene.state;
  const runner = running[cpu] as number;
  const queue = scene.queue(cpu);
  const pair = wasteMatch.pairs.find((p) => p.idle_cpu === cpu);
  return (
    <>
      <b>CPU {cpu}</b>
      {wasteMatch.unobserved[cpu] === 1 ? (
        <p>not observed at this instant</p>
      ) : runner >= 0 ? (
        <p>
          runs {data.threads.nameOf(runner)} for {duration(at - (since[runner] as number))}
        </p>
      ) : (
        <p>{queue.length > 0 ? 'about to run' : wasteMatch.wasted[cpu] === 1 ? 'idle, and wasted' : 'idle'}</p>
      )}
      {wasteMatch.wasted[cpu] === 1 && (
        <p className={styles.cardWasted}>
          {pair
            ? `${data.threads.nameOf(pair.utid)} waits on CPU ${pair.waited_on} and may run here`
            : 'a thread that may run here waits'}
        </p>
      )}
      {queue.length > 0 && (
        <ul>
          {queue.slice(0, 6).map((u) => (
            <li key={u}>
              {data.threads.nameOf(u)} <span className="muted">waits {duration(at - (since[u] as number))}</span>
            </li>
          ))}
          {queue.length > 6 && <li className="muted">and {queue.length - 6} more</li>}
        </ul>
      )}
    </>
  );
}

function BubbleCard({ index, scene }: { index: number; scene: Scene }) {
  const b = scene.bubbleLayout.bubbles[index];
  const out = scene.outside.out[index] ?? 0;
  if (!b) return null;
  return (
    <>
      <b>{b.name}</b> <span className="muted">{b.kind}</span>
      <p>{out === 0 ? 'closed: all its threads sleep' : `burst: ${plural(out, 'thread')} on CPUs`}</p>
      <p className="muted">{plural(b.threads, 'thread')} in the whole trace</p>
    </>
  );
}

function AreaCard({ index, scene, wasteMatch }: { index: number; scene: Scene; wasteMatch: WasteMatch }) {
  const a = scene.layout.areas[index];
  if (!a) return null;
  const busy = a.cpus.filter((c) => (scene.state.running[c] ?? -1) >= 0).length;
  const wasted = a.cpus.filter((c) => wasteMatch.wasted[c] === 1).length;
  const waiting = a.cpus.reduce((s, c) => s + (scene.state.queued[c] ?? 0), 0);
  return (
    <>
      <b>{a.name}</b>
      <p>
        {busy} of {plural(a.cpus.length, 'CPU')} busy, {waiting} waiting
      </p>
      {wasted > 0 && <p className={styles.cardWasted}>{wasted} wasted</p>}
      <p className="muted">double-click to look at it</p>
    </>
  );
}
