import type { Place } from "./place.ts";
import { NAMESPACE } from "./place.ts";

/** What the demonstration says when it has started. */
export interface Started {
  /** The address of the web interface. */
  ui: string;
  place: Place;
  /** The port that was wanted, and the one that it got. */
  wanted: number;
  port: number;
  /** Whether jobs of an earlier start were there, and whether somebody works on them now. */
  isFound: boolean;
  isJoined: boolean;
}

export function welcome({ ui, place, wanted, port, isFound, isJoined }: Started): string[] {
  return [
    ...(place.made === undefined ? [] : [`Made the folder ${place.made}.`]),
    ...(wanted === 0 || wanted === port ? [] : [`Port ${wanted} is taken; this is ${port}.`]),
    ...(isJoined
      ? ["Another demonstration works on the same jobs: this one helps it, and puts none twice."]
      : isFound
        ? ["The shop goes on where it was."]
        : []),
    "",
    "A small shop prints photo books. Orders are received, charged, printed and shipped.",
    "",
    `  Open     ${ui}`,
    `  Jobs in  ${place.shown}`,
    "  Stop     Ctrl-C; what is there stays for the next start",
    "",
    "  Overview   problems first: a paused queue, and a return that no worker can inspect",
    "  printing   two presses; now and then one is killed, and another takes over its books",
    "  shipping   orders that depend on their books",
    "  Failures   declined cards, unknown addresses, paper jams; support has some tried again",
    "  Log        what happens, as it happens",
    "",
    `  From a shell: npx qless top --url ${place.shown} --namespace ${NAMESPACE}`,
    "",
  ];
}
