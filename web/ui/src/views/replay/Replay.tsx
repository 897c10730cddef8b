// The player and its picture. Everything that can be chosen is in the link.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { EvidenceGaps } from '../../components/EvidenceGaps';
import { useKeys } from '../../components/useKeys';
import { download } from '../../download';
import { adjust, usePlace } from '../../navigation';
import { CAMERA_KEYS } from '../../replay/camera';
import { speedFor } from '../../replay/clock';
import type { ReplayHit } from '../../replay/hit';
import { burstOf, type ChangeFilter, changeOf, declaredBurst, isMigration, nextStart } from '../../replay/jump';
import { Player } from '../../replay/player';
import type { Scene } from '../../replay/scene';
import { StretchStore } from '../../replay/store';
import type { WasteMatch } from '../../replay/wasteMatch';
import { Chosen } from './Chosen';
import { FigureFeed } from './figureFeed';
import { HoverCard } from './HoverCard';
import { Options, ReplayLegend } from './Options';
import { formatReplay, parseReplay, type ReplayPlace } from './place';
import { EpisodeNow, MissingNotice, Readout } from './Readout';
import styles from './Replay.module.css';
import { marked, ReplayOverview, ReplayStrip } from './Scrubber';
import { film, type Movie, movieType, pngOf, svgOf } from './save';
import { type Commands, Transport } from './Transport';
import type { ReplayData } from './useReplayData';
import { useReplayColours, useStage } from './useStage';
import { fullInstant, worstOf } from './worst';

/** What the picture rests on. */
const NEEDS = {
  migrations: 'a thread moves when it runs elsewhere',
  migration_stacks: 'moves have the colour of other paths',
};

/** Changes of state that can be followed per second of watching. */
const MAX_FOLLOWED = 40;

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

export function Replay({ data }: { data: ReplayData }) {
  const place = usePlace();
  const mine = parseReplay(place.params);
  const first = useRef({ place, mine }).current;
  const colours = useReplayColours();
  const hues = useMemo(() => data.threads.hues(mine.hues), [data.threads, mine.hues]);

  const [{ player, store, figureFeed, wakes }] = useState(() => makePlayer(data, place.episode, mine));
  useEffect(() => () => store.close(), [store]);

  const [focusBubble, setFocusBubble] = useState(-1);
  const strip = useRef(() => {});
  const settle = useRef(0);
  const current = useRef({ mine, place });
  current.current = { mine, place };

  /** The link is updated once the picture rests. */
  const remember = useCallback((change: Partial<ReplayPlace> = {}) => {
    adjust({ params: formatReplay({ ...current.current.mine, ...change }) });
  }, []);
  const rest = useCallback(() => {
    window.clearTimeout(settle.current);
    settle.current = window.setTimeout(() => {
      if (player.clock.playing) return;
      remember({
        at_ns: player.clock.at + data.origin_ns,
        speed: player.clock.speed,
        camera: player.moved ? player.camera : null,
        follow: player.follow >= 0,
      });
    }, 400);
  }, [player, data.origin_ns, remember]);
  useEffect(() => () => window.clearTimeout(settle.current), []);

  const onFrame = useCallback(
    (scene: Scene, wasteMatch: WasteMatch) => {
      figureFeed.update(scene, wasteMatch, data.episodes);
      strip.current();
      rest();
    },
    [figureFeed, data.episodes, rest],
  );

  const onPick = useCallback(
    (h: ReplayHit | null, twice: boolean) => {
      const scene = stage.current;
      if (h?.kind === 'thread') {
        const same = current.current.place.utid === h.utid;
        if (twice) player.followThread(h.utid);
        adjust({ utid: same && !twice ? null : h.utid });
        setFocusBubble(-1);
      } else if (h?.kind === 'bubble') {
        if (twice && scene) player.focus(scene.bubbleLayout.bubbles[h.bubble] ?? scene.bounds);
        else setFocusBubble((was) => (was === h.bubble ? -1 : h.bubble));
        adjust({ utid: null });
      } else if (h && twice && scene) {
        player.focus(
          h.kind === 'cpu'
            ? (scene.layout.cells[scene.layout.cellOf[h.cpu] ?? 0] ?? scene.bounds)
            : (scene.layout.areas[h.area] ?? scene.bounds),
        );
      } else {
        setFocusBubble(-1);
        adjust({ utid: null });
      }
      kick.current();
    },
    [player],
  );

  const focus = useMemo(() => {
    const chosen = new Set<number>();
    if (place.utid !== null) chosen.add(place.utid);
    if (focusBubble >= 0)
      for (const m of data.members) if (inBubble(stage.current, m.utid, focusBubble)) chosen.add(m.utid);
    return chosen;
  }, [place.utid, focusBubble, data.members]);

  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Scene | null>(null);
  const kick = useRef(() => {});
  const still = reduced.matches;
  const s = useStage(box, canvas, { data, player, hues, colours, still, focus, focusBubble, onFrame, onPick });
  stage.current = s.parts?.scene ?? null;
  kick.current = s.again;
  wakes.current = s.again;

  // The camera of the link, once there is a picture; an episode chosen elsewhere (n, p) is gone to.
  const set = useRef(false);
  useEffect(() => {
    if (set.current || !s.parts) return;
    set.current = true;
    if (first.mine.camera) player.setCamera(first.mine.camera);
    if (first.mine.follow && first.place.utid !== null) player.followThread(first.place.utid);
  }, [s.parts, player, first]);
  const gone = useRef(place.episode);
  useEffect(() => {
    if (place.episode === gone.current) return;
    gone.current = place.episode;
    const e = data.episodes.find((x) => x.id === place.episode);
    if (e) {
      player.seek(e.start);
      s.again();
    }
  }, [place.episode, data.episodes, player, s.again]);

  const refresh = useCallback(() => {
    figureFeed.touch();
    kick.current();
    rest();
  }, [figureFeed, rest]);
  const find = useCallback(
    async (direction: 1 | -1, wanted: ChangeFilter) => {
      await player.step(direction, wanted);
      refresh();
    },
    [player, refresh],
  );
  const commands = useMemo((): Commands => {
    const starts = marked(data.episodes).map((e) => e.start);
    return {
      toggle: () => {
        if (player.clock.playing && player.clock.direction > 0) player.pause();
        else player.play(1);
        refresh();
      },
      reverse: () => {
        if (player.clock.playing && player.clock.direction < 0) player.pause();
        else player.play(-1);
        refresh();
      },
      step: (d) => {
        if (player.follow >= 0) void find(d, changeOf(player.follow));
        else void player.stepEvent(d).then(refresh);
      },
      migration: (d) => void find(d, isMigration),
      burst: (d) => {
        if (data.held) void player.find(d, declaredBurst).then(refresh);
        else if (stage.current) void find(d, burstOf(stage.current.bubbleLayout));
      },
      episode: (d) => {
        player.pause();
        const to = nextStart(starts, player.clock.at, d);
        if (to !== null) player.seek(to);
        refresh();
      },
      speed: (by) => {
        player.shift(by);
        refresh();
      },
    };
  }, [player, data.episodes, data.held, refresh, find]);

  const fit = useCallback(() => {
    player.fit();
    remember({ camera: null, follow: false });
    kick.current();
  }, [player, remember]);
  const seek = useCallback(
    (at: number) => {
      player.seek(at);
      refresh();
    },
    [player, refresh],
  );
  const nudge = (d: 1 | -1) => seek(player.clock.at + d * player.clock.speed * 1e9);
  const back = (e: KeyboardEvent) => (e.shiftKey ? commands.episode(-1) : nudge(-1));
  const on = (e: KeyboardEvent) => (e.shiftKey ? commands.episode(1) : nudge(1));
  const clear = () => {
    player.followThread(-1);
    onPick(null, false);
  };
  const follow = () => {
    if (place.utid !== null) player.followThread(player.follow >= 0 ? -1 : place.utid);
    refresh();
  };
  useKeys({
    ...Object.fromEntries(CAMERA_KEYS.map((key) => [key, () => s.look(key)])),
    ' ': commands.toggle,
    r: commands.reverse,
    ',': () => commands.step(-1),
    '.': () => commands.step(1),
    '[': () => commands.speed(-1),
    ']': () => commands.speed(1),
    m: (e) => commands.migration(e.shiftKey ? -1 : 1),
    b: (e) => commands.burst(e.shiftKey ? -1 : 1),
    ArrowLeft: back,
    ArrowRight: on,
    f: follow,
    '0': fit,
    Escape: clear,
  });

  const [movie, setMovie] = useState<Movie | null>(null);
  const name = `${data.trace.name.replace(/\.duckdb$/, '')}-${Math.round(player.clock.at)}`;
  const onStill = async (kind: 'svg' | 'png') => {
    const frame = s.frameOf();
    if (!frame) return;
    download(
      `${name}.${kind}`,
      kind === 'svg' ? svgOf(frame, `${data.trace.name} at ${player.clock.at} ns`) : await pngOf(frame),
    );
  };
  const onMovie = async () => {
    if (movie) {
      setMovie(null);
      player.pause();
      refresh();
      download(`${name}.webm`, await movie.stop());
    } else if (canvas.current) {
      setMovie(film(canvas.current));
      if (!player.clock.playing) commands.toggle();
    }
  };

  return (
    <div className={styles.replay}>
      <div className={styles.top}>
        <Readout figureFeed={figureFeed} />
        <Options
          bubbles={data.kind}
          hues={mine.hues}
          onBubbles={(bubbles) => {
            setFocusBubble(-1);
            remember({ bubbles });
          }}
          onHues={(by) => remember({ hues: by })}
          onFit={fit}
          onStill={(kind) => void onStill(kind)}
          onMovie={movieType() === null ? null : () => void onMovie()}
          filming={movie !== null}
        />
      </div>
      <MissingNotice
        figureFeed={figureFeed}
        retry={() => {
          player.retry();
          refresh();
        }}
      />
      <div ref={box} className={styles.stage}>
        <canvas
          ref={canvas}
          style={{ width: s.width, height: s.height }}
          role="img"
          aria-label="The machine’s CPUs and queues with the threads on them, and the bubbles they belong to"
        />
        {place.utid !== null && s.parts && (
          <Chosen
            utid={place.utid}
            data={data}
            scene={s.parts.scene}
            figureFeed={figureFeed}
            player={player}
            onFollow={follow}
            onClear={clear}
          />
        )}
        {s.pointed && s.parts && (
          <HoverCard
            pointed={s.pointed}
            scene={s.parts.scene}
            wasteMatch={s.parts.wasteMatch}
            data={data}
            width={s.width}
            height={s.height}
          />
        )}
      </div>
      <Transport figureFeed={figureFeed} commands={commands}>
        <EpisodeNow figureFeed={figureFeed} data={data} />
        <ReplayLegend hues={hues} colours={colours} by={mine.hues} />
      </Transport>
      <div className={styles.strips}>
        <EvidenceGaps trace={data.trace} needs={NEEDS} wakeups="threads that wait after a wakeup are not shown" />
        <ReplayStrip
          data={data}
          player={player}
          store={store}
          colours={colours}
          figureFeed={figureFeed}
          onSeek={seek}
          draw={strip}
        />
        <ReplayOverview data={data} figureFeed={figureFeed} onSeek={seek} />
      </div>
    </div>
  );
}

/** A thread belongs to a bubble or to one within it. */
function inBubble(scene: Scene | null, utid: number, bubble: number): boolean {
  for (let b = scene?.bubbleLayout.bubbleOf[utid] ?? -1; b >= 0; b = scene?.bubbleLayout.bubbles[b]?.parent ?? -1)
    if (b === bubble) return true;
  return false;
}

interface PlayerParts {
  player: Player;
  store: StretchStore;
  figureFeed: FigureFeed;
  /** Called when a stretch has been loaded. */
  wakes: { current: () => void };
}

/** The player lives as long as the view: what is shown of the trace may change under it. */
function makePlayer(data: ReplayData, episode: number | null, mine: ReplayPlace): PlayerParts {
  const wakes = { current: () => {} };
  const store = new StretchStore(data.source, () => wakes.current());
  const long = data.span.end - data.span.start;
  // A chosen episode is shown from its start; without a choice the worst one is shown where its waste is seen at once.
  const chosen = data.episodes.find((e) => e.id === episode);
  const worst = chosen ?? worstOf(data.episodes, data.trace.id);
  const start = chosen?.start ?? (worst ? fullInstant(worst, data.curve) : data.span.start);
  const speed = mine.speed ?? speedFor(long, Math.max(10, data.trace.events / 2 / MAX_FOLLOWED));
  const player = new Player(data.span, store, mine.at_ns === null ? start : mine.at_ns - data.origin_ns, speed);
  return { player, store, figureFeed: new FigureFeed(player), wakes };
}
