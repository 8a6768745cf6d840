/** Milliseconds as the seconds that people and the wire see, to the millisecond. */
export const inSeconds = (ms: number) => `${ms / 1000}`;
