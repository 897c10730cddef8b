// A sentence with what stands in backticks, as commands do, set as code.

export const CommandText = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed text
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
