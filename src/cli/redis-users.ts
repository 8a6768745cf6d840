/**
 * Rules for Redis users who share one namespace. They list commands one by one: a category such as
 * `@write` includes FLUSHALL, and `@read` includes KEYS, which shows the names of other namespaces.
 */

/** Commands that the library calls in Redis when it reads. */
const READ =
  "exists get hget hgetall hmget info time type zcard zcount zrange zrangebyscore zrank zrevrange " +
  "zrevrangebyscore zscore";

/** Commands that the library calls in Redis when it writes. */
const WRITE =
  "append del hdel hincrby hset object|encoding publish spublish zadd zincrby zpopmin zrem " +
  "zremrangebyrank";

/** Commands that clients send on their own account, on one server and in a cluster. */
const CONNECT = "asking client|setname cluster|slots ping select";

const LISTEN = "psubscribe punsubscribe ssubscribe subscribe sunsubscribe unsubscribe";

/** SCAN walks the whole database, so only the user who loads the library may check and export. */
const DEPLOY = "exec function|list function|load multi scan";

const commandsOf = (...lists: string[]) => lists.join(" ").split(" ").sort();

export interface RedisUser {
  name: string;
  about: string;
  /** In lower case; a subcommand follows its command after a bar, as in Redis' rules. */
  commands: readonly string[];
}

export const REDIS_USERS: readonly RedisUser[] = [
  {
    name: "deployer",
    about: "loads the library, checks and exports, and may do everything a worker may",
    commands: commandsOf(READ, WRITE, CONNECT, LISTEN, DEPLOY, "fcall fcall_ro"),
  },
  {
    name: "worker",
    about: "puts and runs jobs, with the library that a deployer has loaded",
    commands: commandsOf(READ, WRITE, CONNECT, LISTEN, "fcall fcall_ro"),
  },
  {
    name: "reader",
    about: "reads and listens, and changes nothing",
    commands: commandsOf(READ, CONNECT, LISTEN, "fcall_ro"),
  },
];

/**
 * The command that makes a user, quoted so that redis-cli and a shell read the same words. `reset`
 * first takes away what an earlier rule allowed.
 */
export function ruleFor(namespace: string, { name, commands }: RedisUser): string {
  const places = `'~${namespace}' '~${namespace}:*' '&${namespace}:*'`;
  const rights = commands.map((command) => `+${command}`).join(" ");
  return `ACL SETUSER qless-${name} reset on '>secret' ${places} ${rights}`;
}
