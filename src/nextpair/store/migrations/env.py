"""Alembic runs this: migrate on the connection that nextpair.store.database handed over, inside its transaction."""

from alembic import context

from nextpair.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
