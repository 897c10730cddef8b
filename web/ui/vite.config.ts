// Builds the page into the server's static folder. Every address in it is relative: it works under any path prefix.
//
// `npm run dev` serves the sources and hands `api/` to a running `wastenot serve` (WASTENOT_SERVER, port 8750 by default).

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const SERVER = process.env.WASTENOT_SERVER ?? 'http://127.0.0.1:8750';

export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: process.env.WASTENOT_STATIC ?? '../server/src/wastenot/web/static',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': SERVER, '/docs': SERVER }, fs: { allow: ['../..'] } }, // schemas/ts, docs/glossary.md
});
