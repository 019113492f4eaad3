import type { Switches } from '@app/contract/switches'

/** The form of a broker's address, for people. */
export const brokerAddress = 'an mqtt://, mqtts://, ws:// or wss:// address without a user name'

/** Absent where nothing that is switched on needs a broker. */
export interface BrokerConfig {
  /** For plain TCP. */
  port?: number
  /** A broker of the operator's, and its address for devices. */
  url?: string
  publicUrl?: string
  /** The password of the platform itself. */
  password?: string
  hooksFrom: readonly string[]
  /** The program of the embedded broker; no setting, for tests. */
  entry?: string
}

interface Values {
  FORGE_FEATURES_OFF: Switches
  FORGE_BROKER_HOOKS_FROM: readonly string[]
  FORGE_BROKER_PORT?: number | undefined
  FORGE_BROKER_URL?: string | undefined
  FORGE_BROKER_PUBLIC_URL?: string | undefined
  FORGE_BROKER_PASSWORD?: string | undefined
}

/** The broker, unless nothing that is switched on needs one. */
export function brokerOf(values: Values): { broker?: BrokerConfig } {
  const { devices, projectComms } = values.FORGE_FEATURES_OFF
  if (!devices && !projectComms) return {}
  return {
    broker: {
      hooksFrom: values.FORGE_BROKER_HOOKS_FROM,
      ...(values.FORGE_BROKER_PORT && { port: values.FORGE_BROKER_PORT }),
      ...(values.FORGE_BROKER_URL && { url: values.FORGE_BROKER_URL }),
      ...(values.FORGE_BROKER_PUBLIC_URL && { publicUrl: values.FORGE_BROKER_PUBLIC_URL }),
      ...(values.FORGE_BROKER_PASSWORD && { password: values.FORGE_BROKER_PASSWORD }),
    },
  }
}

export const brokerProblems = (values: Values, expected = ''): string[] =>
  values.FORGE_BROKER_URL && !values.FORGE_BROKER_PASSWORD
    ? [`FORGE_BROKER_PASSWORD is not set; it must be ${expected}, because FORGE_BROKER_URL names a broker.`]
    : []
