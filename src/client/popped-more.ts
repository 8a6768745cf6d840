/** What there is more to know of few jobs than of most, as pop and finish send it. */
export interface PoppedMore {
  priority?: number;
  retries?: number;
  remaining?: number;
  tags?: string[];
  source?: string;
  cutoff?: number;
  context?: Readonly<Record<string, string>>;
}

export interface ReadMore {
  more: PoppedMore;
  /** Names of fields that cannot be read. */
  damaged: readonly string[];
}

type Judge = (value: unknown) => boolean;

const isText: Judge = (value) => typeof value === "string";
const isObject: Judge = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const SOUND: Readonly<Record<keyof PoppedMore, Judge>> = {
  priority: Number.isFinite,
  retries: Number.isFinite,
  remaining: Number.isFinite,
  tags: (value) => Array.isArray(value) && value.every(isText),
  source: isText,
  cutoff: Number.isFinite,
  context: isObject,
};
const NAMES = Object.keys(SOUND) as (keyof PoppedMore)[];

/** Between two members. A quote within a text is escaped, so this is in no text. */
const BETWEEN =
  /,(?="(?:priority|retries|remaining|tags|source|spawned_from_jid|cutoff|tracked|context|history)":)/;

/**
 * Reads the members, each on its own if they cannot be read together. The core sends fields as they
 * are kept, and what damaged the record of one job must not keep a worker from the jobs beside it.
 */
export function readMore(said: string): ReadMore {
  const damaged: string[] = [];
  const more = (parsed(said) ?? readEach(said, damaged)) as Record<string, unknown>;
  if (isText(more.context)) more.context = parsed(more.context as string) ?? false;
  for (const name of NAMES) {
    if (more[name] === undefined || SOUND[name](more[name])) continue;
    damaged.push(name);
    delete more[name];
  }
  return { more, damaged };
}

function readEach(said: string, damaged: string[]): object {
  const more = {};
  for (const member of said.slice(1, -1).split(BETWEEN)) {
    const one = parsed(`{${member}}`);
    if (one === undefined) damaged.push(member.slice(1, member.indexOf('"', 1)));
    else Object.assign(more, one);
  }
  return more;
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
