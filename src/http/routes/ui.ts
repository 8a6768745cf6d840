import { Type } from "@sinclair/typebox";
import { HttpError } from "../errors.ts";
import { fileOf, PLAIN_PAGE } from "../files.ts";
import { route } from "../route.ts";

const HTML = "text/html; charset=utf-8";

/** The way to the web interface, which is relative: a proxy may have put a path before ours. */
function fromHere(url: string): string {
  const path = url.split("?", 1)[0]!;
  if (path.endsWith("/") || path.endsWith("/ui")) return "ui/";
  return `${path.slice(path.lastIndexOf("/") + 1)}/ui/`;
}

/** A query that somebody has added to a link does not matter. */
const anything = Type.Object({});

/** The web interface. Its files are nobody's secret; what they show, they ask for with a token. */
export const ui = [
  ...["/", "/ui"].map((path) =>
    route({
      method: "GET",
      path,
      role: "open",
      says: "Leads to the web interface",
      query: anything,
      media: HTML,
      gives: Type.String(),
      run({ request, reply }) {
        void reply.code(302).header("location", fromHere(request.url));
        return "";
      },
    }),
  ),
  route({
    method: "GET",
    path: "/ui/*",
    role: "open",
    says: "Serves the web interface",
    query: anything,
    params: Type.Object({ "*": Type.String({ description: "a path" }) }),
    media: HTML,
    gives: Type.String(),
    async run({ site, params, reply }) {
      const { ui: folder } = site.options;
      if (folder === undefined) return PLAIN_PAGE;
      const file = await fileOf(folder, params["*"]);
      if (file === undefined) throw new HttpError(404, "NO_SUCH_PAGE", "There is no such page");
      void reply.header("content-type", file.type);
      if (file.isHashed) void reply.header("cache-control", "public, max-age=31536000, immutable");
      return file.bytes as unknown as string;
    },
  }),
];
