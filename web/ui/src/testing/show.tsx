// Renders a view as the page does: at a place of the URL, with a query client of its own, so that no answer of an earlier test is used.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { queries } from '../api/hooks';
import { formatPlace, HOME, type Place } from '../logic/place';

/** Go to a place as a click on a link does. */
export function goTo(place: Partial<Place>): void {
  act(() => {
    history.replaceState(null, '', formatPlace({ ...HOME, ...place }));
    window.dispatchEvent(new Event('hashchange'));
  });
}

/** `view` at `place`. Refused requests are not tried again, so that a test need not wait. */
export function show(view: ReactNode, place: Partial<Place>) {
  const { queries: options, ...rest } = queries.getDefaultOptions();
  const client = new QueryClient({ defaultOptions: { ...rest, queries: { ...options, retry: false } } });
  goTo(place);
  return render(<QueryClientProvider client={client}>{view}</QueryClientProvider>);
}
