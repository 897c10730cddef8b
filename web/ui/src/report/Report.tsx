// The report's page: the verdict, then the worst episodes one after the other; the replay of each in its place on demand.

import { useEffect, useState } from 'react';
import { ofTrace } from '../api/client';
import { useIdentity, useJson } from '../api/hooks';
import type { EpisodePage, TraceSummary } from '../api/types';
import { Boundary } from '../components/Boundary';
import { Help } from '../components/Help';
import { Icon } from '../components/Icon';
import { IdentityBar, IdentityFacts } from '../components/IdentityBar';
import { Ready } from '../components/States';
import { useKeys } from '../components/useKeys';
import { parsePlace } from '../logic/place';
import { plural } from '../logic/units';
import { go, hrefTo, usePlace } from '../navigation';
import { useShade } from '../theme';
import { EpisodeDetail } from '../views/episode/EpisodeDetail';
import ReplayView from '../views/replay';
import VerdictView from '../views/verdict';
import type { Archive } from './archive';
import styles from './Report.module.css';
import { hasDeadlines, ReportDeadlines } from './ReportDeadlines';
import { ReportRange, replayFrom } from './ReportRange';
import { RulePages } from './RulePages';

export function Report({ archive }: { archive: Archive }) {
  const place = usePlace();
  const { trace } = archive;
  const [shade, setShade] = useShade(place.theme);
  const [help, setHelp] = useState(false);
  const [about, setAbout] = useState(false);
  useKeys({ i: () => setAbout(true) });
  const here = place.trace === trace.id;
  useEffect(() => {
    if (!here) go({ trace: trace.id, view: 'verdict' });
  }, [here, trace.id]);
  const replaying = here && place.view === 'replay';
  const carried = place.episode !== null && archive.episodes.includes(place.episode);
  useEffect(() => {
    if (replaying) window.scrollTo(0, 0);
    else if (carried) document.getElementById(`episode-${place.episode}`)?.scrollIntoView();
  }, [replaying, carried, place.episode]);
  useEffect(() => {
    // A link to where one is already changes no address: it still leads to its episode.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
      const { episode } = link ? parsePlace(link.getAttribute('href') ?? '') : { episode: null };
      if (link?.getAttribute('href') === location.hash && episode !== null)
        document.getElementById(`episode-${episode}`)?.scrollIntoView();
    };
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, []);
  document.title = `wastenot: ${trace.name}`;
  const other = shade === 'dark' ? 'light' : 'dark';
  return (
    <>
      <header className={styles.head}>
        <div className={styles.bar}>
          <b>wastenot</b>
          <span className={styles.name}>{trace.name}</span>
          <span className="muted">{replaying ? 'replay' : 'report'}</span>
          <div className={styles.tools}>
            {replaying ? (
              <a className="button" href={hrefTo({ view: 'verdict', params: {} })}>
                Back to the report
              </a>
            ) : (
              archive.stretches.length > 0 && (
                <a className="button no-print" href={replayFrom(archive.range)}>
                  Replay
                </a>
              )
            )}
            <button
              type="button"
              className="quiet icon no-print"
              onClick={() => setShade(other)}
              aria-label={`Show it ${other}`}
            >
              <Icon name={shade === 'dark' ? 'sun' : 'moon'} />
            </button>
            <button
              type="button"
              className="quiet icon no-print"
              onClick={() => setHelp(true)}
              aria-label="Help"
              title="Glossary"
            >
              <Icon name="help" />
            </button>
          </div>
        </div>
        <IdentityBar trace={trace} open={about} onOpen={() => setAbout(true)} onClose={() => setAbout(false)} />
      </header>
      <Help open={help} onClose={() => setHelp(false)} glossaryOnly />
      <Boundary key={replaying ? 'replay' : 'report'}>
        {here && (replaying ? <ReportReplay trace={trace} /> : <Pages archive={archive} />)}
      </Boundary>
    </>
  );
}

/** The replay as the whole of the page. */
function ReportReplay({ trace }: { trace: TraceSummary }) {
  return (
    <main className={styles.replay}>
      <h1 className="unseen">Replay</h1>
      <ReplayView trace={trace} />
    </main>
  );
}

function Pages({ archive }: { archive: Archive }) {
  const { trace, episodes } = archive;
  const identity = useIdentity(trace.id);
  return (
    <main className={styles.pages}>
      {archive.range && <ReportRange trace={trace} range={archive.range} />}
      <VerdictView trace={trace} />
      {hasDeadlines(archive) && <ReportDeadlines trace={trace} />}
      {episodes.map((number) => (
        <div key={number} id={`episode-${number}`} className={styles.episode}>
          <ReportEpisode trace={trace} number={number} />
        </div>
      ))}
      <RulePages archive={archive} />
      <section className={styles.about} aria-labelledby="about-title">
        <h2 id="about-title">About this recording</h2>
        <Ready of={identity} what="Reading what the trace says about itself" height={240}>
          {(data) => <IdentityFacts trace={trace} identity={data} />}
        </Ready>
      </section>
      <footer className={styles.foot}>
        Made by wastenot {archive.version}. The report carries {plural(episodes.length, 'episode')} in full;{' '}
        <code>wastenot serve</code> shows all of the trace.
      </footer>
    </main>
  );
}

function ReportEpisode({ trace, number }: { trace: TraceSummary; number: number }) {
  const page = useJson<EpisodePage>(ofTrace(trace.id, `episodes/${number}`));
  return (
    <Ready of={page} what={`Episode ${number}`} height={400}>
      {(data) => <EpisodeDetail trace={trace} page={data} />}
    </Ready>
  );
}
