/** How a queue went: a number for each step, null where nobody looked. */
export interface History {
  name: string;
  waiting: (number | null)[];
  running: (number | null)[];
  open: (number | null)[];
  completed: (number | null)[];
  failed: (number | null)[];
}

/** Steps of so many seconds, from a moment on. */
export interface Steps {
  step: number;
  begin: number;
}
