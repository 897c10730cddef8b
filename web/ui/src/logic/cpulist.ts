// Lists of CPUs as the kernel writes them: `0-3,8,10-11`.

/** Sorted CPUs of a list; what is not a number or a range below 65,536 is left out. */
export function parseCpuList(text: string): number[] {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim());
    if (!match) continue;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    for (let cpu = first; cpu <= last && cpu < 65_536; cpu++) found.add(cpu);
  }
  return [...found].sort((a, b) => a - b);
}

/** The shortest list of these CPUs. */
export function formatCpuList(cpus: readonly number[]): string {
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let j = i;
    while (sorted[j + 1] === (sorted[j] as number) + 1) j++;
    parts.push(j === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(',');
}

/** `CPU 1`, `CPUs 4-6,8-63 (59)`. */
export const cpusWords = (cpus: readonly number[]): string =>
  cpus.length === 1 ? `CPU ${cpus[0]}` : `CPUs ${formatCpuList(cpus)} (${cpus.length})`;
