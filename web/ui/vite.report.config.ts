// Builds the report's script and style, one file each: `wastenot report` writes them into every report.

import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const STATIC = process.env.WASTENOT_STATIC ?? '../server/src/wastenot/web/static';

/** A report has no server: what asks one gets the client that answers from the page. */
const kept: Plugin = {
  name: 'kept-answers',
  enforce: 'pre',
  resolveId(source) {
    return /^\.\.?\/(.*\/)?client$/.test(source) ? resolve(import.meta.dirname, 'src/report/client.ts') : null;
  },
};

export default defineConfig({
  plugins: [kept, react()],
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    outDir: `${STATIC}/report`,
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    lib: {
      entry: 'src/report/main.tsx',
      formats: ['iife'],
      name: 'wastenot',
      fileName: () => 'report.js',
      cssFileName: 'report',
    },
  },
});
