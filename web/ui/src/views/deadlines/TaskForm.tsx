// Tasks that the trace does not describe: declared as `wastenot deadlines --task` takes them.

import { type FormEvent, useState } from 'react';
import styles from './Deadlines.module.css';

/** What parts two tasks: names of threads may hold commas and spaces. */
const BETWEEN = ';';

interface TaskFormProps {
  tasks: readonly string[];
  onDeclare: (tasks: string[]) => void;
}

/** It starts from what the address has; another address makes it anew. */
export function TaskForm({ tasks, onDeclare }: TaskFormProps) {
  const [text, setText] = useState(tasks.join(`${BETWEEN} `));
  const measure = (event: FormEvent) => {
    event.preventDefault();
    onDeclare(
      text
        .split(BETWEEN)
        .map((task) => task.trim())
        .filter(Boolean),
    );
  };
  return (
    <form className={`${styles.bar} no-print`} onSubmit={measure} aria-label="Declared tasks">
      <label className={styles.field}>
        <span>Tasks that are not recorded: NAME=RUNTIME/DEADLINE/PERIOD; …</span>
        <input
          className="input"
          value={text}
          placeholder="audio*=2ms/5ms/5ms; motor=200us/1ms"
          spellCheck={false}
          autoCapitalize="off"
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button type="submit" className="button">
        Measure
      </button>
      {tasks.length > 0 && (
        <button type="button" className="quiet" onClick={() => onDeclare([])}>
          Recorded tasks alone
        </button>
      )}
    </form>
  );
}
