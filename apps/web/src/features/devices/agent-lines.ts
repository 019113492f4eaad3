import { fileName } from './credentials-file.ts'

/** Instructions for starting an agent: the commands, and what they need. */
export interface AgentLine {
  id: 'linux' | 'docker' | 'windows' | 'nodered'
  label: string
  /** Commands, one a line. */
  commands: string
  note: string
}

/** The agent runs as an ordinary user, and keeps its data there unless told otherwise. */
const ownFolder = 'sudo mkdir -p /opt/flowfuse-device && sudo chown -R $USER /opt/flowfuse-device'

/** The commands for a machine, by the one-time code where its agent takes one; `address` is that of the platform. */
export function agentLines({
  deviceId,
  code,
  address,
}: {
  deviceId: string
  code: string
  address: string
}): AgentLine[] {
  const setUp = `flowfuse-device-agent --otc ${code} --ff-url ${address}`
  const file = fileName(deviceId)
  const needsNode = 'Needs Node.js 18 or newer.'
  const setsUp = 'From then on, flowfuse-device-agent starts the agent. The code works once, within 24 hours.'
  return [
    {
      id: 'linux',
      label: 'Linux',
      commands: `curl -fsSL ${address}/agent/install.sh | sudo sh -s -- --otc ${code}`,
      note: 'Needs Node.js 20.16 or newer. Installs the agent as a service. The code works once, within 24 hours.',
    },
    {
      id: 'docker',
      label: 'Docker',
      commands: `docker build -t flowforge-agent ${address}/agent/Dockerfile\ndocker run -d --init --restart unless-stopped -v flowforge-agent:/data -p 1880:1880 flowforge-agent --otc ${code} --forge-url ${address}`,
      note: 'Makes the image from this platform and Node.js. The code works once, within 24 hours.',
    },
    {
      id: 'windows',
      label: 'Windows',
      commands: `npm install -g @flowfuse/device-agent\n${setUp}`,
      note: `${needsNode} Run as administrator. ${setsUp}`,
    },
    {
      id: 'nodered',
      label: 'Has Node-RED',
      commands: `sudo npm install -g @flowfuse/device-agent\n${ownFolder}\nflowfuse-device-agent --config ${file} --port 1881`,
      note: `Download ${file} below first, and run this in its folder. The agent runs a separate Node-RED on port 1881. Your own is not changed.`,
    },
  ]
}

/** Does this address mean the machine on which it is used? Then no other machine can call it. */
export function isLocalAddress(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(hostname)
}
