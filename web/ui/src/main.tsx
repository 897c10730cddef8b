import '@fontsource-variable/inter';
import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { queries } from './api/hooks';
import { placeNow } from './navigation';
import { applyShade, shadeOf } from './theme';

applyShade(shadeOf(placeNow().theme));
const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
);
