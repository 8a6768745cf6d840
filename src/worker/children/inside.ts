import { port } from "./port.ts";
import { Servant } from "./servant.ts";

/** What a child begins with: it hears what it is to run, and says what came of it. */

const { send, listen } = port();
const servant = new Servant(send);
listen((message) => servant.hear(message));
