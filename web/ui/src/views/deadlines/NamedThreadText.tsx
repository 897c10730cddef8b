// A thread's name with its number.

export function NamedThreadText({ thread: { name, tid } }: { thread: { name: string | null; tid: number } }) {
  return (
    <>
      {name ?? 'thread'} <span className="muted">{tid}</span>
    </>
  );
}
