# The package of `npm run package` on the official image of Node.js. Any base will do that has node 24, npm and setpriv:
#   docker build --build-arg BASE=registry.example.com/node:24 -t flowforge .
ARG BASE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${BASE} AS install
# Not the package of the agent, which may lie beside it.
ARG PACKAGE=dist/flowforge-[0-9]*.tgz
COPY ${PACKAGE} /tmp/package/
# The base has the Node.js already, and everything else is in the package: nothing is fetched.
RUN mkdir -p /opt/flowforge \
  && tar -xzf /tmp/package/flowforge-[0-9]*.tgz -C /opt/flowforge --strip-components=1 \
  && chmod -R go+rX /opt/flowforge

FROM ${BASE}
LABEL org.opencontainers.image.title="FlowForge" \
      org.opencontainers.image.description="Hosts Node-RED for teams" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=install /opt/flowforge /opt/flowforge
RUN ln -s /opt/flowforge/bin/flowforge /usr/local/bin/flowforge \
  && mkdir -p /data && chown 1000:1000 /data
ENV FORGE_HOME=/data FORGE_HOST=0.0.0.0 HOME=/data NODE_ENV=production
VOLUME /data
# Commands of `docker exec` write their files here.
WORKDIR /data
EXPOSE 3000
# The user `node` of the official image. As root (`--user 0`) each instance gets a user of its own: docs/isolation.md.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 CMD ["flowforge", "ready"]
STOPSIGNAL SIGTERM
CMD ["flowforge", "start"]
