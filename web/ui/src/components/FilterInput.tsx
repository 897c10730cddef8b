// A field that filters a list by what is typed.

interface Props {
  value: string;
  change: (text: string) => void;
  label: string;
}

export function FilterInput({ value, change, label }: Props) {
  return (
    <input
      className="input"
      value={value}
      onChange={(event) => change(event.target.value)}
      placeholder={label}
      aria-label={label}
    />
  );
}
