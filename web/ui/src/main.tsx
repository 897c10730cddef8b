import '@fontsource-variable/inter';
import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { queries } from './api/hooks';
import { placeNow } from './navigation';
import { applyShade, shadeOf } from './theme';

// After an update of the server the page's parts have other names: the page is loaded anew, once in ten seconds at most.
window.addEventListener('vite:preloadError', (event) => {
  const last = Number(sessionStorage.getItem('wastenot.reload'));
  if (Date.now() - last < 10_000) return;
  sessionStorage.setItem('wastenot.reload', String(Date.now()));
  event.preventDefault();
  location.reload();
});

applyShade(shadeOf(placeNow().theme));
const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
);
