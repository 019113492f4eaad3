/** Reason codes of MQTT 5, and of MQTT 3.1.1 where it has one. */
export const reasons = {
  ok: 0,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  badClientId: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  shuttingDown: 0x8b,
  keepAliveTimeout: 0x8d,
  takenOver: 0x8e,
  badFilter: 0x8f,
  badTopic: 0x90,
  tooLarge: 0x95,
} as const
export type Reason = (typeof reasons)[keyof typeof reasons]

/** The return code of CONNACK for clients of MQTT 3.1.1. */
export function oldReturnCode(reason: Reason): number {
  switch (reason) {
    case reasons.ok:
      return 0
    case reasons.unsupportedVersion:
      return 1
    case reasons.badClientId:
      return 2
    case reasons.badCredentials:
      return 4
    case reasons.notAuthorized:
      return 5
    default:
      return 3
  }
}
