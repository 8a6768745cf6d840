export { TestClock } from "./clock.ts";
export {
  type DrainReport,
  type Handler,
  type Handlers,
  openTestQueue,
  type Performed,
  TestQueue,
  type TestQueueOptions,
} from "./test-queue.ts";
