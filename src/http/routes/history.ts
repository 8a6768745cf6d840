import { type Static, Type } from "@sinclair/typebox";
import { MAX_QUEUES, SPANS, type Span } from "../history.ts";
import { HistoryRing, SERIES } from "../history-ring.ts";
import { route } from "../route.ts";
import { Name, Offset, strict, words } from "../schemas.ts";
import type { Site } from "../site.ts";

const span = Type.Optional(words(["10m", "24h"]));

/** Queues of which one answer tells. */
const MAX_TOLD = 100;

const Numbers = Type.Array(Type.Union([Type.Integer(), Type.Null()]));

const HistoryShape = Type.Object(
  {
    name: Type.String(),
    waiting: Numbers,
    running: Numbers,
    open: Numbers,
    completed: Numbers,
    failed: Numbers,
  },
  {
    $id: "History",
    description:
      "a number for each step, the oldest first, null where nobody looked: jobs that waited, that ran, that had yet to end, and that completed or failed in that step",
  },
);

/** What is true of all histories of a span. */
const spanned = {
  step: Type.Integer({ description: "seconds from one step to the next" }),
  begin: Type.Number({ description: "when the first step began, in seconds since 1970" }),
};

function beginOf(span: Span, now: number): { step: number; begin: number } {
  const [step, steps] = SPANS[span];
  return { step, begin: (Math.floor(now / step) - steps + 1) * step };
}

/** A queue of which nothing is kept has a history of nothing. */
function shapeOf(site: Site, name: string, span: Span, now: number): Static<typeof HistoryShape> {
  const ring = site.history.ring(name, span) ?? new HistoryRing(...SPANS[span]);
  const series = SERIES.map((one) => [one, ring.told(one, now)] as const);
  return { name, ...Object.fromEntries(series) } as Static<typeof HistoryShape>;
}

export const history = [
  route({
    method: "GET",
    path: "/api/v1/history",
    role: "read",
    says: `Tells how queues went while this server ran, of the first ${MAX_QUEUES} queues`,
    query: strict({
      span,
      offset: Type.Optional(Offset),
      count: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_TOLD,
          description: `a whole number from 1 to ${MAX_TOLD}`,
        }),
      ),
    }),
    gives: Type.Object({
      ...spanned,
      queues: Type.Array(HistoryShape),
      is_cut: Type.Boolean({ description: "whether there are queues of which nothing is kept" }),
    }),
    async run({ site, query: { span: asked = "10m", offset = 0, count = 25 } }) {
      const now = (await site.clock.now()) / 1000;
      const names = site.history.names().slice(offset, offset + count);
      return {
        ...beginOf(asked, now),
        queues: names.map((name) => shapeOf(site, name, asked, now)),
        is_cut: site.history.queues > MAX_QUEUES,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/queues/:queue/history",
    role: "read",
    says: "Tells how a queue went while this server ran",
    params: strict({ queue: Name }),
    query: strict({ span }),
    gives: Type.Object({ ...spanned, history: HistoryShape, is_kept: Type.Boolean() }),
    async run({ site, params: { queue }, query: { span: asked = "10m" } }) {
      const now = (await site.clock.now()) / 1000;
      const isKept = site.history.ring(queue, asked) !== undefined;
      return {
        ...beginOf(asked, now),
        history: shapeOf(site, queue, asked, now),
        is_kept: isKept,
      };
    },
  }),
];
