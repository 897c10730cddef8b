// A sentence of the terminal: what it sets off by backticks is set as code.

export function Prose({ text }: { text: string }) {
  return text.split('`').map((piece, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
    return index % 2 === 1 ? <code key={index}>{piece}</code> : piece;
  });
}
