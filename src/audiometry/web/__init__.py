"""What the pages have in common that audiometry serves to a browser: the server, who comes in, clips, keys."""
