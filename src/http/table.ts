import type { Route } from "./route.ts";
import { config } from "./routes/config.ts";
import { failures } from "./routes/failures.ts";
import { history } from "./routes/history.ts";
import { changing } from "./routes/job-changes.ts";
import { looking } from "./routes/jobs.ts";
import { keys } from "./routes/keys.ts";
import { operations } from "./routes/operations.ts";
import { putting } from "./routes/putting.ts";
import { queues } from "./routes/queues.ts";
import { recurring } from "./routes/recurring.ts";
import { schedules } from "./routes/schedules.ts";
import { seeds } from "./routes/seeds.ts";
import { service } from "./routes/service.ts";
import { ui } from "./routes/ui.ts";
import { workers } from "./routes/workers.ts";
import { working } from "./routes/working.ts";

/**
 * Every route there is. From this table they are served, guarded and described, and the tests take
 * their matrices from it.
 */
export const ROUTES: readonly Route[] = [
  ...seeds,
  ...putting,
  ...working,
  ...looking,
  ...changing,
  ...queues,
  ...history,
  ...failures,
  ...workers,
  ...recurring,
  ...schedules,
  ...keys,
  ...config,
  ...operations,
  ...service,
  ...ui,
];
