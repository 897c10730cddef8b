// The page's frame: header, the chosen trace's view, and what every view has (help, search, guide).

import { Suspense } from 'react';
import styles from './App.module.css';
import { useTraces } from './api/hooks';
import { readable } from './api/types';
import { Boundary } from './components/Boundary';
import { Guide } from './components/Guide';
import { Header } from './components/Header';
import { Empty, Loading, Ready } from './components/States';
import { useFileDrop } from './components/useFileDrop';
import { go, hrefTo, placeNow, usePlace } from './navigation';
import { leaveDropped } from './views/home/droppedFile';
import { Home } from './views/home/Home';
import { VIEW_PARTS } from './views/registry';

export function App() {
  const place = usePlace();
  const traces = useTraces();
  const over = useFilesLeadHome();
  const list = traces.data?.filter(readable) ?? [];
  const trace = list.find((item) => item.id === place.trace) ?? null;
  const { Component, title } = VIEW_PARTS[place.view];
  document.title = trace ? `${title} · ${trace.name} · wastenot` : 'wastenot';
  return (
    <div className={styles.page}>
      <button type="button" className={styles.skip} onClick={skip}>
        Skip to the content
      </button>
      <Header traces={list} trace={trace} />
      <main id="main" className={styles.main} tabIndex={-1}>
        {place.trace === null ? (
          <Home />
        ) : (
          <Ready of={traces} what="Reading the list of traces" height="60vh">
            {() =>
              trace && place.wrong !== null ? (
                <Empty whole title={`There is no ${place.wrong} here`}>
                  <a href={hrefTo({ view: 'verdict', episode: null })}>Verdict of {trace.name}</a> ·{' '}
                  <a href={hrefTo({ view: 'episodes', episode: null })}>All episodes</a>
                </Empty>
              ) : trace ? (
                <Boundary key={`${trace.id}/${place.view}`}>
                  {UNTITLED.has(place.view) && (
                    <h1 className="unseen">
                      {title} of {trace.name}
                    </h1>
                  )}
                  <Suspense fallback={<Loading what={`Loading ${title}`} height="60vh" />}>
                    <Component trace={trace} />
                  </Suspense>
                </Boundary>
              ) : traces.isFetching ? (
                <Loading what="Reading the list of traces" height="60vh" />
              ) : (
                <Empty whole title={`There is no trace “${place.trace}” here`}>
                  <a href="#/">All traces</a>
                </Empty>
              )
            }
          </Ready>
        )}
      </main>
      {trace && <Guide />}
      {over && <p className={styles.drop}>Drop the file to import it as a trace</p>}
    </div>
  );
}

/** Views without a heading of their own: screen readers find one there, too. */
const UNTITLED: ReadonlySet<string> = new Set(['timeline', 'replay', 'threads', 'latency', 'sql']);

/** A file that is dropped on a view is imported on the list of traces. True while one is dragged over. */
function useFilesLeadHome(): boolean {
  return useFileDrop(
    (file) => {
      leaveDropped(file);
      go({ trace: null });
    },
    () => placeNow().trace !== null,
  );
}

/** A button, not a link: the address’s fragment is the place. */
function skip() {
  document.getElementById('main')?.focus();
}
