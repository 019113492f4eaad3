import * as z from 'zod/mini'
import { DenyEntry } from './settings-input.ts'
import { stackPropertyFields } from './stack-properties.ts'

const { invalidMessage } = stackPropertyFields.memory
const { nodered } = stackPropertyFields
const Memory = z
  .number(invalidMessage)
  .check(z.int(invalidMessage), z.minimum(64, invalidMessage), z.maximum(65_536, invalidMessage))

const listed = <Entry extends z.ZodMiniType>(entry: Entry, most: number) =>
  z.nullable(z.array(entry).check(z.minLength(1), z.maxLength(most)))
const Catalogue = z
  .url({ protocol: /^https?$/, error: 'Must be a comma-separated list of http:// or https:// addresses' })
  .check(z.maxLength(500, 'At most 500 characters'))

/** A browser sends name and password with a colon between them. */
const User = z.string().check(
  z.trim(),
  z.minLength(1, 'Enter a user name'),
  z.maxLength(200, 'At most 200 characters'),
  z.refine((name) => !/[:\0]/.test(name), 'Must not contain a colon'),
)
/** bcrypt reads no further. */
const passwordBytes = 72
const Password = z.string().check(
  z.refine((text) => text.trim() !== '', 'Must not be spaces alone'),
  z.minLength(8, 'At least 8 characters'),
  z.maxLength(passwordBytes, `At most ${passwordBytes} bytes`),
  z.refine((text) => new TextEncoder().encode(text).length <= passwordBytes, `At most ${passwordBytes} bytes`),
)
const SignIn = z.object({ user: User })

/** Settings of Node-RED on a device, which agents of this platform know. */
export const DeviceNodeRed = z.object({
  /** Memory limit in MiB, from the next start of Node-RED on; null: that of the device's file, or the default. */
  memory: z.nullable(Memory),
  /** Exact version, which the device installs; null: that of its target. */
  version: z.nullable(z.string().check(z.maxLength(40), z.regex(new RegExp(nodered.validate), nodered.invalidMessage))),
  /** Only these modules, and those of the target, may be installed and loaded; null: all that are not denied. */
  allowList: listed(DenyEntry, 200),
  /** Denied modules, besides those that the template denies. */
  denyList: listed(DenyEntry, 200),
  /** Addresses of the catalogues in the palette manager; null: that of Node-RED. */
  catalogues: listed(Catalogue, 20),
  /** The sign-in to the addresses of flows on the device; null: that of its instance. */
  httpAuth: z.nullable(SignIn),
  /** The sign-in to the editor on the device itself, also without the platform; null: there is none. */
  editorAuth: z.nullable(SignIn),
})
export type DeviceNodeRed = z.infer<typeof DeviceNodeRed>

/** Without a password, the one that is there stays. */
const SignInInput = z.nullable(z.extend(SignIn, { password: z.optional(Password) }))
/** A change of these settings. What is left out stays. */
export const DeviceNodeRedPatch = z.partial(z.extend(DeviceNodeRed, { httpAuth: SignInInput, editorAuth: SignInInput }))
export type DeviceNodeRedPatch = z.infer<typeof DeviceNodeRedPatch>

/** `hash`: that of the password, by bcrypt. */
const KeptSignIn = z.nullable(z.extend(SignIn, { hash: z.string() }))
/** The settings as they are kept, and as the agent gets them: nobody keeps a password. */
export const KeptNodeRed = z.extend(DeviceNodeRed, { httpAuth: KeptSignIn, editorAuth: KeptSignIn })
export type KeptNodeRed = z.infer<typeof KeptNodeRed>

/** The settings that are part of the hash of a device. A memory limit is told by itself. */
export const HashedNodeRed = z.omit(KeptNodeRed, { memory: true })
export type HashedNodeRed = z.infer<typeof HashedNodeRed>

const mib = z.number().check(z.minimum(0), z.maximum(1e9))

/** The memory limit of Node-RED as the agent of a device reports it, in MiB. */
export const DeviceMemoryLimit = z.object({
  /** The one that the platform told it; null: none. */
  set: z.nullable(mib),
  /** The one of its next start. */
  next: mib,
  /** The one it runs with; null: it does not run. */
  inForce: z.nullable(mib),
})
