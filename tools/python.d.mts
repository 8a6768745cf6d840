export const ADVICE: string;
export function findPython(): string | undefined;
export function pythonPath(): string;
