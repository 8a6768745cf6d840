/** What a namespace in braces begins with. */
const BRACE = 123;

/**
 * Whether a channel is a sharded one. In a cluster, PUBLISH sends each message to every node and
 * counts only the listeners of this one; sharded channels belong to the slot of their namespace. It
 * depends on the name alone, so that listeners know it without asking.
 */
export const isSharded = (channel: string) => string.byte(channel, 1, 1)[0] === BRACE;
